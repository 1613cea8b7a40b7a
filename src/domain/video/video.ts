const ID = /^[\w-]{11}$/;
const HOSTS = new Set(['youtube.com', 'm.youtube.com', 'music.youtube.com']);

/** Extracts a YouTube video id from an id or a URL; `undefined` if there is none. */
export function parseVideoId(text: string): string | undefined {
  if (ID.test(text)) return text;
  if (!URL.canParse(text)) return undefined;
  const { hostname, pathname, searchParams, protocol } = new URL(text);
  if (!/^https?:$/.test(protocol)) return undefined;
  const host = hostname.replace(/^www\./, '');
  const [, first = '', second = ''] = pathname.split('/');
  if (host === 'youtu.be') return requireVideoId(first);
  if (!HOSTS.has(host)) return undefined;
  if (first === 'watch') return requireVideoId(searchParams.get('v') ?? '');
  return ['shorts', 'embed', 'live'].includes(first) ? requireVideoId(second) : undefined;
}

/** Returns the URL of a video at a time in milliseconds. */
export function timestampUrl(videoId: string, startMs: number): string {
  return `https://www.youtube.com/watch?v=${videoId}&t=${Math.floor(startMs / 1_000)}s`;
}

function requireVideoId(text: string): string | undefined {
  return ID.test(text) ? text : undefined;
}
