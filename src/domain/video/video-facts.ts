import type { Reading } from '../data/upstreams.ts';

/** What a platform says of a video in public. */
export interface VideoFacts {
  readonly title: string;
  readonly channel: string;
}

/** Reads public facts of videos. */
export interface VideoReader {
  /** Never throws for what the platform does. `deadline` is in milliseconds. */
  facts(videoId: string, deadline: number): Promise<Reading<VideoFacts>>;
}
