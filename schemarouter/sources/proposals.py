"""Tools that were read out of documentation: a proposal, its evidence, and how well the document supports it.

The application supplies the proposal, from a person or a model, and approves it with ``SchemaRouter.approve_proposal``.
"""

from schemarouter.runtime.proposals import Evidence, Grounding, ToolProposal, claims, ground

__all__ = ["Evidence", "Grounding", "ToolProposal", "claims", "ground"]
