// Writes down what an audit asks of its target, call by call, on the way there.

/** The same targets; `calls` fills with what is sent, in the order in which it is. */
export function recording(targets) {
  const calls = [];
  let connections = 0;
  const connect = (target) => async (options) => {
    connections += 1;
    const of = connections;
    calls.push({ what: 'connect', of, isPlain: isPlain(options) });
    const connection = await target.connect(options);
    return new Proxy(connection, {
      get: (_, name) => {
        if (name === 'request' || name === 'notify') {
          return (method, params, more) => {
            calls.push({ what: name, of, method, params });
            return connection[name](method, params, more);
          };
        }
        if (name === 'close') {
          return () => {
            calls.push({ what: 'close', of });
            return connection.close();
          };
        }
        const value = connection[name];
        return typeof value === 'function' ? value.bind(connection) : value;
      },
    });
  };
  const wrap = (target) =>
    new Proxy(target, {
      get: (_, name) => {
        if (name === 'connect') return connect(target);
        if (name === 'exchange' && target.exchange !== undefined) {
          return (raw) => {
            calls.push({ what: 'exchange', raw });
            return target.exchange(raw);
          };
        }
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  return {
    calls,
    open: async (address, how) => wrap(await targets.open(address, how)),
    requireOpenable: (address) => targets.requireOpenable(address),
    listen: (address) => targets.listen(address),
  };
}

/** A connection as any client begins one. */
function isPlain(options = {}) {
  return options.headers === undefined && options.sessionId === undefined;
}
