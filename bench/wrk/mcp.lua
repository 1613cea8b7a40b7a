-- Sends one kind of MCP request. Bodies of answers are not read here, so that the load stays light:
-- whoever starts the load checks an answer before and after, and compares the bytes.
-- env: WORK=echo|list|progress  SID=<session id, may be empty>  VER=<protocol version>
local work, session, version = os.getenv("WORK"), os.getenv("SID"), os.getenv("VER")
local sent = 0

local bodies = {
  list = '{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{}}',
  echo = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello world","n":1}}}',
  progress = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"progress20","arguments":{"count":20},"_meta":{"progressToken":"p"}}}',
}
local body = bodies[work]

local headers = {
  ["content-type"] = "application/json",
  ["accept"] = "application/json, text/event-stream",
  ["mcp-protocol-version"] = version,
}
if session and session ~= "" then headers["mcp-session-id"] = session end

function request()
  sent = sent + 1
  return wrk.format("POST", nil, headers, string.format(body, sent))
end

function done(summary, latency, _)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    'JSON{"requests":%d,"us":%d,"bad":%d,"errors":%d,"p50":%d,"p99":%d,"bytes":%d}\n',
    summary.requests, summary.duration, errors.status, failed,
    latency:percentile(50), latency:percentile(99), summary.bytes))
end
