import type { SourceReading } from '../data/upstreams.ts';
import type { Topic } from '../news/topic.ts';

/** A public post. All of its text is untrusted. */
export interface Opinion {
  readonly text: string;
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
  /** Author within the channel; `null` if unknown. Never shown. */
  readonly author: string | null;
  /** Whether the author is a declared bot. */
  readonly isBot: boolean;
  /** ISO 639-1 as declared by the author; `null` if undeclared. */
  readonly lang: string | null;
}

/** A request to a channel. `deadline` is in milliseconds since 1970. */
export interface OpinionQuery {
  readonly channel: string;
  readonly topic: Topic;
  readonly deadline: number;
}

/** Public discussion channels, each read through its API. */
export interface OpinionChannels {
  readonly channels: readonly string[];
  /** Returns the latest posts on a topic. Failures of a channel are returned, never thrown. */
  read(order: OpinionQuery): Promise<SourceReading<readonly Opinion[]>>;
}
