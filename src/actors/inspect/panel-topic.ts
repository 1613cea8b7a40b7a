import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Json, JsonObject } from '../../domain/common/json.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { FRAME_EVERY_MS, type FrameOrigin } from './frame-source.ts';
import type { Outlet, Source } from './outlet.ts';
import { Pace } from './pace.ts';
import type { PanelView } from './panel/panel-view.ts';

/** Maximum number of pending characters per speech for a slow client; older ones are dropped. */
const SPEECH_CHARS_MAX = 8_192;
/** Maximum number of pending speeches. */
const SPEECHES_MAX = 64;

/** Dependencies of a panel topic. */
export interface PanelParts {
  readonly engine: ActorEngine;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly panel: PanelView;
}

/** Creates the frame source of one panel. */
export function panelOrigin({ engine, blobs, panel }: PanelParts, id: string): FrameOrigin {
  const turnTimes = new Map<string, number>();
  let next = 1;
  return {
    make: async () => {
      const view = await engine.view(id);
      for await (const entry of engine.journal(id, next)) {
        if (entry.seq > view.seq) break;
        next = entry.seq + 1;
        const turn = panel.turnOf(entry);
        if (turn !== undefined) turnTimes.set(turn, entry.at);
      }
      return panel.frame({ view, blobs, turnTimes });
    },
    watch: (changed) => engine.watch(id, 1, changed),
  };
}

/** Live speech of panel seats. Nothing is stored, and a slow client misses parts. */
export class Speeches implements Source {
  readonly #outlet: Outlet;
  readonly #pace: Pace;
  readonly #stop: () => void;
  readonly #waiting = new Map<string, { readonly speaker: JsonObject; text: string }>();

  constructor({ engine, clock, panel }: PanelParts, id: string, outlet: Outlet) {
    this.#outlet = outlet;
    this.#pace = new Pace(clock, FRAME_EVERY_MS, () => this.pump());
    this.#stop = engine.watchShown(id, (event) => {
      const speech = panel.speech(event);
      if (speech !== undefined) this.#add(speech.speaker, speech.text);
    });
  }

  pump(): void {
    for (const [key, { speaker, text }] of this.#waiting) {
      if (!this.#outlet.isOpen) return;
      this.#waiting.delete(key);
      const event: Record<string, Json | undefined> = { ...speaker, type: 'speech', text };
      this.#outlet.push({ kind: 'shown', event });
    }
  }

  stop(): void {
    this.#stop();
    this.#pace.stop();
  }

  #add(speaker: JsonObject, text: string): void {
    const key = JSON.stringify(speaker);
    const known = this.#waiting.get(key);
    if (known === undefined && this.#waiting.size >= SPEECHES_MAX) return;
    const said = `${known?.text ?? ''}${text}`.slice(-SPEECH_CHARS_MAX);
    this.#waiting.set(key, { speaker, text: said });
    this.#pace.ask();
  }
}
