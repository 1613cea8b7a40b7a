-- Sends one kind of MCP request and counts the answers that are not a result.
-- env: WORK=echo|list|progress  SID=<session id, may be empty>  VER=<protocol version>
local work, session, version = os.getenv("WORK"), os.getenv("SID"), os.getenv("VER")
local sent, threads = 0, {}

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

function setup(thread) table.insert(threads, thread) end

function init() bad = 0 end

function request()
  sent = sent + 1
  return wrk.format("POST", nil, headers, string.format(body, sent))
end

function response(status, _, answer)
  local fine = status == 200
    and string.find(answer, '"result"', 1, true) ~= nil
    and string.find(answer, '"isError":true', 1, true) == nil
  if not fine then bad = bad + 1 end
end

function done(summary, latency, _)
  local wrong = 0
  for _, thread in ipairs(threads) do wrong = wrong + (thread:get("bad") or 0) end
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format(
    'JSON{"requests":%d,"us":%d,"bad":%d,"errors":%d,"p50":%d,"p99":%d,"bytes":%d}\n',
    summary.requests, summary.duration, wrong, errors,
    latency:percentile(50), latency:percentile(99), summary.bytes))
end
