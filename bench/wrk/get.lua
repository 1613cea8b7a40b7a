-- Reads addresses in turn, from a file with one path a line. Bodies are compared by whoever starts
-- the load.
-- env: PATHS=<file>
local paths, at = {}, 0

function init(_)
  for line in io.lines(os.getenv("PATHS")) do paths[#paths + 1] = line end
end

function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end

function done(summary, latency, _)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    'JSON{"requests":%d,"us":%d,"bad":%d,"errors":%d,"p50":%d,"p99":%d,"bytes":%d}\n',
    summary.requests, summary.duration, errors.status, failed,
    latency:percentile(50), latency:percentile(99), summary.bytes))
end
