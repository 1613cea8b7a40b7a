import { z } from 'zod';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import type { HttpReply } from '../http/host.ts';
import { errorReply, jsonReply } from './replies.ts';

const BODY_BYTES_MAX = 4_096;
const Erase = z.strictObject({ subject: z.string() });
const Nothing = z.strictObject({});

/** The operator's actions on the proof log. */
export interface ProofActions {
  anchor(): Promise<object>;
  rotateKey(): Promise<object>;
  erase(subject: string): Promise<object>;
}

/** Creates `POST /operator/proofs/{anchor,rotate-key,erase}`, which need the operator token. */
export function operatorRoutes(actions: ProofActions): readonly FrontRoute[] {
  return [
    route('anchor', Nothing, () => actions.anchor()),
    route('rotate-key', Nothing, () => actions.rotateKey()),
    route('erase', Erase, ({ subject }) => actions.erase(subject)),
  ];
}

function route<Body>(
  name: string,
  shape: z.ZodType<Body>,
  act: (body: Body) => Promise<object>,
): FrontRoute {
  return plainRoute(
    {
      methods: ['POST'],
      path: `/operator/proofs/${name}`,
      access: 'operator',
      bodyBytesMax: BODY_BYTES_MAX,
    },
    async (_request, body): Promise<HttpReply> => {
      try {
        return jsonReply(200, await act(parseBody(shape, body.toString('utf8'))));
      } catch (thrown) {
        return errorReply(toAppError(thrown));
      }
    },
  );
}

function parseBody<Body>(shape: z.ZodType<Body>, text: string): Body {
  const parsed = shape.safeParse(tryParseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError('INPUT_INVALID', {
    message: `The body is invalid: ${issue?.message}`,
    data: { received: text.slice(0, 200), path: issue?.path.join('.') },
  });
}
