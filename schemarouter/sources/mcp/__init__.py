"""Tools of MCP servers, over stdio and streamable HTTP, protocols 2025-11-25 and 2026-07-28. Needs the extra ``mcp``.

Saved listings (``tool_from_listing``) need nothing but this package.
"""

from __future__ import annotations

from schemarouter.sources.mcp.attach import Attached as Attached
from schemarouter.sources.mcp.attach import attach as attach
from schemarouter.sources.mcp.errors import McpCallError as McpCallError
from schemarouter.sources.mcp.errors import McpConnectionError as McpConnectionError
from schemarouter.sources.mcp.errors import McpContractError as McpContractError
from schemarouter.sources.mcp.errors import McpProtocolError as McpProtocolError
from schemarouter.sources.mcp.errors import McpToolError as McpToolError
from schemarouter.sources.mcp.host import McpHost as McpHost
from schemarouter.sources.mcp.limits import McpLimits as McpLimits
from schemarouter.sources.mcp.listing import LeftOut as LeftOut
from schemarouter.sources.mcp.listing import Listing as Listing
from schemarouter.sources.mcp.listing import read_listing as read_listing
from schemarouter.sources.mcp.listing import tool_from_listing as tool_from_listing
from schemarouter.sources.mcp.servers import HttpServer as HttpServer
from schemarouter.sources.mcp.servers import McpServer as McpServer
from schemarouter.sources.mcp.servers import StdioServer as StdioServer
from schemarouter.sources.mcp.source import McpInvoker as McpInvoker
from schemarouter.sources.mcp.source import McpSource as McpSource
