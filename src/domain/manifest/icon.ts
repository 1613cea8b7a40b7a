/** The path of the icon of the service. */
export const ICON_PATH = '/icon.svg';

/** The icon of the service, which is that of the console. */
export const ICON_SVG = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">',
  '  <title>Stoa</title>',
  '  <rect width="16" height="16" rx="3" fill="#1c5d99" />',
  '  <path fill="#fff" d="M3 6.2 8 3.5l5 2.700zM4 7h1.5v4.5H4zM7.25 7h1.5v4.5h-1.5z' +
    'M10.5 7H12v4.5h-1.5zM3 12h10v1H3z" />',
  '</svg>',
  '',
].join('\n');

/**
 * The icons in `serverInfo` of MCP. The image is in the address itself, because a server on
 * standard input and output has no other address.
 */
export const SERVER_ICONS = [
  {
    src: `data:image/svg+xml;base64,${btoa(ICON_SVG)}`,
    mimeType: 'image/svg+xml',
    sizes: ['any'],
  },
];

/** Returns where the icon of a server is; `undefined` for an address that is not HTTP. */
export function iconUrl(address: string): string | undefined {
  const { origin, protocol } = new URL(address);
  return protocol.startsWith('http') ? `${origin}${ICON_PATH}` : undefined;
}
