import { BlockList, isIP } from 'node:net';

const LOOPBACK = buildAddressList(['127.0.0.0/8', '::1']);

/** Returns whether an address or host name is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || containsAddress(LOOPBACK, host);
}

/** Normalises an address: IPv4 without the IPv6 wrapping, IPv6 in its short form. */
export function normalizeAddress(address: string): string {
  const text = address.toLowerCase();
  const wrapped = /^(?:::ffff:|(?:0{1,4}:){5}ffff:)(?:(\d+\.\d+\.\d+\.\d+)|(\w+):(\w+))$/.exec(
    text,
  );
  if (wrapped?.[1] !== undefined) return wrapped[1];
  if (wrapped?.[2] !== undefined && wrapped[3] !== undefined) {
    const bits = Number.parseInt(wrapped[2], 16) * 65_536 + Number.parseInt(wrapped[3], 16);
    return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
  }
  if (isIP(text) !== 6) return text;
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

/** Builds a list from addresses and networks (`10.0.0.0/8`, `::1`). Ignores invalid entries. */
export function buildAddressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address);
    if (family === 0) continue;
    const type = family === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, type);
    else list.addSubnet(address, Number(bits), type);
  }
  return list;
}

/** Returns whether a list contains an address. */
export function containsAddress(list: BlockList, address: string): boolean {
  const plain = normalizeAddress(address);
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the key that groups one provider's customers: an IPv4 /24 or an IPv6 /64. */
export function providerNetworkOf(address: string): string {
  const plain = normalizeAddress(address);
  if (isIP(plain) !== 4) return networkOf(plain);
  return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
}

/** Returns the key that identifies one client: an IPv4 address or an IPv6 /64 network. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [front = '', back] = normalizeAddress(address).split('::');
  const head = front === '' ? [] : front.split(':');
  const tail = back === undefined || back === '' ? [] : back.split(':');
  const missing = Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
