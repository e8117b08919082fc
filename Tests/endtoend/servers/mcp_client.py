"""A client of `serialterm mcp` that uses the package mcp of PyPI: mcp_client.py MODE PROGRAM. It prints what it
sees as one JSON object. MODE is that of `mcp.Client`: legacy, or a revision that each request names."""

import asyncio
import json
import os
import sys

import anyio
import mcp
from mcp.client.stdio import stdio_client


async def talk(mode, program):
    server = mcp.StdioServerParameters(
        command=program, args=["mcp", "--write"], env=dict(os.environ))
    async with mcp.Client(stdio_client(server), mode=mode) as client:
        server = client.server_info
        seen = {"revision": client.protocol_version, "server": server.name if server else None}
        tools = (await client.list_tools()).tools
        seen["tools"] = [tool.name for tool in tools]
        seen["reading"] = [tool.name for tool in tools if tool.annotations.read_only_hint]

        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            return result.structured_content if not result.is_error else result.content[0].text

        opened = await call("open", target="loopback:board")
        session = opened["session"]
        seen["boot"] = await call("read", session=session, pattern="board> ")
        seen["answer"] = await call("transact", session=session, text="version", pattern="firmware [0-9.]+")
        seen["late"] = await call("read", session=session, pattern="never", timeout=0.1)
        seen["unknown"] = await call("read", session="s9")
        try:
            await client.call_tool(
                "read", {"session": session, "pattern": "never", "timeout": 600},
                read_timeout_seconds=0.2)
        except mcp.MCPError as error:
            seen["client timed out"] = error.error.code
        with anyio.move_on_after(0.2) as scope:
            await client.call_tool("read", {"session": session, "pattern": "never", "timeout": 600})
        seen["cancelled"] = scope.cancelled_caught
        seen["after"] = await call("transact", session=session, text="led", pattern="led is (on|off)")
        resources = (await client.list_resources()).resources
        seen["resources"] = [str(resource.uri) for resource in resources]
        contents = (await client.read_resource(resources[0].uri)).contents
        seen["scrollback"] = contents[0].text
        seen["closed"] = await call("close", session=session)
        for name in ("list_ports", "list_sessions", "doctor"):
            seen[name] = await call(name)
    print(json.dumps(seen))


asyncio.run(talk(sys.argv[1], sys.argv[2]))
