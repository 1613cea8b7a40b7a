import type { HttpEngine } from '../../../../src/transport/http/host.ts';
import { type FrontRig, startFront } from '../../../support/front-rig.ts';
import { type SdkServer, startSdkServer } from '../../../support/sdk-server/sdk-server.ts';
import { compare, type Difference } from './differences.ts';
import { type Came, exchange, type Sent } from './exchange.ts';
import { hello, post, type Story } from './stories.ts';

/** What both servers answered to one request. */
export interface Compared {
  readonly story: string;
  readonly step: number;
  readonly sent: Sent;
  readonly lean: Came;
  readonly sdk: Came;
  readonly verdict: 'same' | Difference | undefined;
}

/** Two servers of the same tools: our front, and one on the SDK's transport. */
export class FrontPair {
  /** Our front, for recording. */
  readonly lean: FrontRig;
  private readonly sdk: SdkServer;

  private constructor(lean: FrontRig, sdk: SdkServer) {
    this.lean = lean;
    this.sdk = sdk;
  }

  static async start(engine: HttpEngine): Promise<FrontPair> {
    return new FrontPair(await startFront(engine), await startSdkServer(engine));
  }

  async close(): Promise<void> {
    await Promise.all([this.lean.front.close(), this.sdk.close()]);
  }

  /** Plays a story against both and compares every answer. */
  async play(story: Story): Promise<readonly Compared[]> {
    const { lean, sdk } = this;
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

async function begin(server: { readonly baseUrl: string }, story: Story): Promise<string> {
  if (story.version === undefined) return '';
  const { headers, body } = post(hello(story.version));
  const { 'mcp-session-id': _none, ...first } = headers;
  const response = await fetch(`${server.baseUrl}${story.path ?? '/v1/mcp'}`, {
    method: 'POST',
    headers: first,
    body: JSON.stringify(body),
  });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}
