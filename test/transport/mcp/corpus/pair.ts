import type { FrontOptions } from '../../../../src/transport/front/front.ts';
import type { HttpEngine } from '../../../../src/transport/http/host.ts';
import { type FrontRig, startFront } from '../../../support/front-rig.ts';
import { compare, type Difference } from './differences.ts';
import { type Came, exchange, type Sent } from './exchange.ts';
import { hello, post, type Story } from './stories.ts';

/** What two fronts answered to one request. */
export interface Compared {
  readonly story: string;
  readonly step: number;
  readonly sent: Sent;
  readonly lean: Came;
  readonly sdk: Came;
  readonly verdict: 'same' | Difference | undefined;
}

/** Two fronts over the same tools: one on the lean path, one on the SDK's transport. */
export class FrontPair {
  private readonly rigs: readonly [FrontRig, FrontRig];

  private constructor(lean: FrontRig, sdk: FrontRig) {
    this.rigs = [lean, sdk];
  }

  static async start(engine: HttpEngine, options: Partial<FrontOptions> = {}): Promise<FrontPair> {
    const lean = await startFront(engine, { ...options, front: 'lean' });
    return new FrontPair(lean, await startFront(engine, { ...options, front: 'sdk' }));
  }

  /** The front on the lean path, for recording. */
  get lean(): FrontRig {
    return this.rigs[0];
  }

  async close(): Promise<void> {
    await Promise.all(this.rigs.map(({ front }) => front.close()));
  }

  /** Plays a story against both and compares every answer. */
  async play(story: Story): Promise<readonly Compared[]> {
    const [lean, sdk] = this.rigs;
    const sessions = [await begin(lean, story), await begin(sdk, story)];
    const found: Compared[] = [];
    for (const [step, sent] of story.steps.entries()) {
      const answers = [
        await exchange(lean, sent, sessions[0] ?? ''),
        await exchange(sdk, sent, sessions[1] ?? ''),
      ] as const;
      const verdict = compare(sent, ...answers);
      found.push({ story: story.name, step, sent, lean: answers[0], sdk: answers[1], verdict });
    }
    return found;
  }
}

async function begin(rig: FrontRig, story: Story): Promise<string> {
  if (story.version === undefined) return '';
  const { headers, body } = post(hello(story.version));
  const { 'mcp-session-id': _none, ...first } = headers;
  const response = await fetch(`${rig.baseUrl}${story.path ?? '/v1/mcp'}`, {
    method: 'POST',
    headers: first,
    body: JSON.stringify(body),
  });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}
