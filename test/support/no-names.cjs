// Loaded into a server before anything else: its computer knows no host but itself.
const names = require('node:dns/promises');
const { syncBuiltinESMExports } = require('node:module');

const { lookup } = names;
names.lookup = async (host, options) => {
  if (host === 'localhost') return lookup(host, options);
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
};
syncBuiltinESMExports();
