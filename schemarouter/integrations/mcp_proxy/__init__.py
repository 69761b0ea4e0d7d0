"""The MCP proxy: between any MCP client and the servers behind, under one policy. Needs the extra ``mcp``.

The modules import the SDK; nothing here does, so that reading the settings costs nothing.
"""
