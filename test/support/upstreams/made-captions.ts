import type { MadeAnswer } from './upstream-server.ts';

/** Video with captions by its uploader, in English and German. */
export const CAPTIONED = 'dQw4w9WgXcQ';
/** Video with captions of a speech recognition alone. */
export const HEARD = 'bbbbbbbbbbb';

/** Path of the interface that says where captions are. */
export function playerPath(videoId: string): string {
  return `/youtubei/v1/player?prettyPrint=false&id=${videoId}`;
}

/** Path of captions as they are read. */
export function captionsPath(videoId: string, lang: string, kind = ''): string {
  const mark = kind === '' ? '' : `&kind=${kind}`;
  return `/api/timedtext?v=${videoId}&expire=1&signature=A1.B2&lang=${lang}${mark}&fmt=json3`;
}

/** What the interface says of a video; no state is one that is played. */
export function playerOf(
  videoId: string,
  tracks: readonly { readonly lang: string; readonly kind?: string; readonly more?: string }[],
  playability: object = { status: 'OK' },
) {
  return {
    playabilityStatus: playability,
    videoDetails: { videoId, title: 'made' },
    captions: {
      playerCaptionsTracklistRenderer: {
        captionTracks: tracks.map(({ lang, kind = '', more = '' }) => ({
          baseUrl: `https://www.youtube.com${captionsPath(videoId, lang, kind).replace('json3', 'srv3')}${more}`,
          name: { runs: [{ text: lang }] },
          languageCode: lang,
          ...(kind === '' ? {} : { kind }),
          isTranslatable: true,
        })),
      },
    },
  };
}

/** Captions in json3: a line at each time, in seconds. */
export function json3(lines: Readonly<Record<number, string>>) {
  return {
    wireMagic: 'pb3',
    events: Object.entries(lines).map(([at, text]) => ({
      tStartMs: Number(at) * 1_000,
      dDurationMs: 4_000,
      segs: text.split(/(?= )/).map((utf8) => ({ utf8 })),
    })),
  };
}

const ANSWERS: Readonly<Record<string, object>> = {
  [playerPath(CAPTIONED)]: playerOf(CAPTIONED, [
    { lang: 'de' },
    { lang: 'en', kind: 'asr' },
    { lang: 'en-GB' },
  ]),
  [captionsPath(CAPTIONED, 'en-GB')]: json3({
    65: 'Welcome to the channel, today we look at ports.',
    125: 'The new cranes lift ninety tonnes each, twice the old ones.',
  }),
  [captionsPath(CAPTIONED, 'de')]: json3({ 125: 'Die neuen Kräne heben neunzig Tonnen.' }),
  [playerPath(HEARD)]: playerOf(HEARD, [{ lang: 'fr', kind: 'asr' }]),
  [captionsPath(HEARD, 'fr', 'asr')]: json3({ 5: 'les cranes portuaires soulèvent tout' }),
};

/** Answers of YouTube for its own programs; shapes after public records of the real ones. */
export const madeCaptions: MadeAnswer = (upstream, path) => {
  const body = upstream === 'youtube' ? ANSWERS[path] : undefined;
  return body === undefined ? undefined : { status: 200, body };
};
