// The key of a wallet from the environment.

/**
 * Ends the program with a line on what to set when there is no key.
 *
 * @param name - Of the variable, which holds 0x and 64 hex digits.
 */
export function walletKey(name) {
  const key = process.env[name];
  if (/^0x[0-9a-f]{64}$/i.test(key ?? '')) return key;
  const received = key === undefined ? 'not set' : `set to ${key.length} other characters`;
  process.stderr.write(
    `${name} is ${received}: it takes a wallet's key, 0x and 64 hex digits.\n` +
      'For a new one: echo 0x$(openssl rand -hex 32)\n',
  );
  process.exit(2);
}
