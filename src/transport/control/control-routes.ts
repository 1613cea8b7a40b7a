import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import { CONTROL_IDS, CONTROL_LABELS, isControlId } from '../../domain/control/control-catalog.ts';
import type { ControlRegistry } from '../../domain/control/controls.ts';
import { buildControlEntry, buildCounterpartyRisk } from '../../domain/manifest/agent-services.ts';
import { listToolNames } from '../../domain/manifest/facts.ts';
import type { ListedTool } from '../../domain/tool/tool.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { plainRoute } from '../front/front-route.ts';
import { networkOf } from '../http/address.ts';
import { TokenBuckets } from '../mcp/call/token-buckets.ts';
import { errorReply, jsonReply, readExactQuery } from '../proof/replies.ts';

/** The base path of the controls. */
export const CONTROLS_PATH = '/a2a/controls';
/** Longest reason, and longest name of the person who changes a control, in characters. */
export const CHANGE_CHARS = { whyMax: 500, whoMax: 100 } as const;

/** Read limit per network: a burst, and a rate per minute. */
export const CONTROL_READS = { burst: 200, perMinute: 600 } as const;
const CONTROL_READERS_MAX = 20_000;
const BODY_BYTES_MAX = 4_096;
const CONTROL_ID_CHARS_MAX = 200;
const PRINTABLE = /^[^\p{Cc}]+$/u;

const Order = z.strictObject({
  label: z.enum(CONTROL_LABELS),
  why: z.string().trim().min(1).max(CHANGE_CHARS.whyMax),
  who: z.string().trim().min(1).max(CHANGE_CHARS.whoMax).regex(PRINTABLE).default('operator'),
});

/** The dependencies of the control routes. */
export interface ControlRouteDeps {
  readonly controls: ControlRegistry;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns the tools that are listed now. */
  tools(): readonly ListedTool[];
  /** The origin of the server, without a trailing slash. */
  origin(): string;
}

/** Creates `GET /a2a/controls` (open) and `POST /a2a/controls/<id>` (operator token). */
export function controlRoutes(parts: ControlRouteDeps): readonly FrontRoute[] {
  const { controls, clock } = parts;
  const buckets = new TokenBuckets(CONTROL_READS, CONTROL_READERS_MAX);
  return [
    plainRoute({ methods: ['GET'], path: CONTROLS_PATH, access: 'open' }, (request) =>
      respond(async () => {
        const waitMs = buckets.take(networkOf(request.remoteAddress), clock.now());
        if (waitMs > 0) throw new AppError('RATE_LIMITED', { data: { wait_ms: waitMs } });
        readExactQuery(request.query, []);
        const facts = { origin: parts.origin(), tools: parts.tools() };
        return buildCounterpartyRisk({ ...facts, controls: controls.listWithChanges() });
      }),
    ),
    plainRoute(
      {
        methods: ['POST'],
        path: `${CONTROLS_PATH}/`,
        isPrefix: true,
        access: 'operator',
        bodyBytesMax: BODY_BYTES_MAX,
      },
      ({ path }, body) =>
        respond(async () => {
          const controlId = readId(path.slice(CONTROLS_PATH.length + 1));
          const { label, why, who } = readOrder(body);
          const control = await controls.change(controlId, { to: label, why, who });
          return buildControlEntry(control, listToolNames({ tools: parts.tools() }));
        }),
    ),
  ];
}

async function respond(make: () => Promise<object>) {
  try {
    return jsonReply(200, await make());
  } catch (thrown) {
    const error = toAppError(thrown);
    const waitMs = error.data['wait_ms'];
    return typeof waitMs === 'number' ? errorReply(error, waitMs) : errorReply(error);
  }
}

function readId(text: string) {
  if (isControlId(text)) return text;
  throw new AppError('CONTROL_UNKNOWN', {
    data: { received: text.slice(0, CONTROL_ID_CHARS_MAX), allowed: CONTROL_IDS },
  });
}

function readOrder(body: Buffer) {
  const text = body.toString('utf8');
  const parsed = Order.safeParse(tryParseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError('INPUT_INVALID', {
    message:
      `The body must be {"label", "why", "who"?}: ` +
      `"${issue?.path.join('.')}": ${issue?.message}`,
    data: {
      received: text.slice(0, 200),
      allowed: {
        label: CONTROL_LABELS,
        why: `1 to ${CHANGE_CHARS.whyMax} characters`,
        who: `1 to ${CHANGE_CHARS.whoMax} printable characters`,
      },
    },
  });
}
