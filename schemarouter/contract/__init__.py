"""Prepared contracts: what a registered tool promises, compiled once into validators and projections."""
