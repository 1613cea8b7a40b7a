import { z } from 'zod';
import type { VideoReader } from '../../domain/video/video-facts.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';

const OEmbed = z.object({ title: z.string().max(500), author_name: z.string().max(500) });

/** Creates the reader of video facts from YouTube's public oEmbed API. */
export function createYoutubeFacts(reader: UpstreamReader): VideoReader {
  return {
    facts: (videoId, deadline) => {
      const url = encodeURIComponent(`https://www.youtube.com/watch?v=${videoId}`);
      const request = { upstream: 'youtube' as const, path: `/oembed?url=${url}&format=json` };
      return reader.read({ ...request, deadline }, (answer) => {
        // The API answers 400 for an id that no video has.
        if (answer.status === 404 || answer.status === 400) {
          return { fault: 'not_found', why: `No public video has the id ${videoId}.` };
        }
        const found = answer.status === 200 ? OEmbed.safeParse(answer.json()).data : undefined;
        if (found === undefined) {
          return { fault: 'upstream_bad_payload', why: `HTTP ${answer.status} without facts.` };
        }
        return { value: { title: found.title, channel: found.author_name } };
      });
    },
  };
}
