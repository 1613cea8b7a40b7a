import type { Json, JsonObject } from '../../domain/common/json.ts';
import type { Services } from '../common/services.ts';
import { FRAME_INTERVAL_MS, type FrameProducer } from './frame-source.ts';
import type { Outlet, PushSource } from './outlet.ts';
import type { PanelView } from './panel/panel-view.ts';
import { Throttle } from './throttle.ts';

/** Maximum number of pending characters per speech for a slow client; older ones are dropped. */
const SPEECH_CHARS_MAX = 8_192;
/** Maximum number of pending speeches. */
const SPEECHES_MAX = 64;

/** Dependencies of a panel topic. */
export interface PanelTopicDeps extends Pick<Services, 'blobs' | 'clock' | 'engine'> {
  readonly panel: PanelView;
}

/** Creates the frame source of one panel. */
export function createPanelProducer(
  { engine, blobs, panel }: PanelTopicDeps,
  id: string,
): FrameProducer {
  const turnTimes = new Map<string, number>();
  let next = 1;
  return {
    create: async () => {
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
export class LiveSpeech implements PushSource {
  readonly #outlet: Outlet;
  readonly #throttle: Throttle;
  readonly #stop: () => void;
  readonly #pending = new Map<string, { readonly speaker: JsonObject; text: string }>();

  constructor({ engine, clock, panel }: PanelTopicDeps, id: string, outlet: Outlet) {
    this.#outlet = outlet;
    this.#throttle = new Throttle(clock, FRAME_INTERVAL_MS, () => this.pump());
    this.#stop = engine.watchShown(id, (event) => {
      const speech = panel.speech(event);
      if (speech !== undefined) this.#add(speech.speaker, speech.text);
    });
  }

  pump(): void {
    for (const [key, { speaker, text }] of this.#pending) {
      if (!this.#outlet.isOpen) return;
      this.#pending.delete(key);
      const event: Record<string, Json | undefined> = { ...speaker, type: 'speech', text };
      this.#outlet.push({ kind: 'shown', event });
    }
  }

  stop(): void {
    this.#stop();
    this.#throttle.stop();
  }

  #add(speaker: JsonObject, text: string): void {
    const key = JSON.stringify(speaker);
    const known = this.#pending.get(key);
    if (known === undefined && this.#pending.size >= SPEECHES_MAX) return;
    const said = `${known?.text ?? ''}${text}`.slice(-SPEECH_CHARS_MAX);
    this.#pending.set(key, { speaker, text: said });
    this.#throttle.request();
  }
}
