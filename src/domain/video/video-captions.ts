import type { SourceReading } from '../data/upstreams.ts';
import type { ReadLimits } from '../filing/filings.ts';

/** Captions of a video from its platform. Their text is untrusted. */
export interface VideoCaptions {
  /** SRT, WebVTT or json3. */
  readonly text: string;
  /** Language code of the platform, such as `en` or `pt-BR`. */
  readonly language: string;
  /** Whether speech recognition created them. */
  readonly isAutomatic: boolean;
}

/** A request for captions with its deadline. */
export interface CaptionOrder extends ReadLimits {
  /** For example `en`. If absent, English is preferred over other languages. */
  readonly language?: string | undefined;
}

/** Reads captions of videos. */
export interface CaptionReader {
  /** Failures of the platform are returned, never thrown. */
  captions(videoId: string, order: CaptionOrder): Promise<SourceReading<VideoCaptions>>;
}
