import type { Reading } from '../data/upstreams.ts';
import type { ReadLimits } from '../filing/filings.ts';

/** Captions of a video, as its platform gives them. Every word of them is a stranger's. */
export interface VideoCaptions {
  /** SRT, WebVTT or json3. */
  readonly text: string;
  /** As the platform names it, such as `en` or `pt-BR`. */
  readonly language: string;
  /** Written by speech recognition. */
  readonly isAutomatic: boolean;
}

/** Which captions are wanted, and until when. */
export interface CaptionOrder extends ReadLimits {
  /** Such as `en`; absent: English, else what there is. */
  readonly language?: string | undefined;
}

/** Reads captions of videos. */
export interface CaptionReader {
  /** Never throws for what the platform does. */
  captions(videoId: string, order: CaptionOrder): Promise<Reading<VideoCaptions>>;
}
