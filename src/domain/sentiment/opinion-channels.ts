import type { Reading } from '../data/upstreams.ts';
import type { Topic } from '../news/topic.ts';

/** What somebody wrote in public. Every word of it is a stranger's. */
export interface Opinion {
  readonly text: string;
  readonly url: string;
  /** Milliseconds. */
  readonly publishedAt: number;
  /** Who wrote it, inside its channel; `null` where it is not said. Never shown. */
  readonly author: string | null;
  /** Whether its author says to be a program. */
  readonly isBot: boolean;
  /** ISO 639-1 as its author says; `null` where nobody does. */
  readonly lang: string | null;
}

/** What is asked of a channel. `deadline` is in milliseconds. */
export interface OpinionOrder {
  readonly channel: string;
  readonly topic: Topic;
  readonly deadline: number;
}

/** Public places where people write, each by its own interface for programs. */
export interface OpinionChannels {
  readonly channels: readonly string[];
  /** Reads the newest opinions on a topic. Never throws for what a channel does. */
  read(order: OpinionOrder): Promise<Reading<readonly Opinion[]>>;
}
