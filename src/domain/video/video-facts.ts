import type { SourceReading } from '../data/upstreams.ts';

/** Public metadata of a video. */
export interface VideoFacts {
  readonly title: string;
  readonly channel: string;
}

/** Reads public metadata of videos. */
export interface VideoReader {
  /** Failures of the platform are returned, never thrown. `deadline` is milliseconds since 1970. */
  facts(videoId: string, deadline: number): Promise<SourceReading<VideoFacts>>;
}
