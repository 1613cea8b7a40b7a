import {
  ProtocolError,
  type Result,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { toAppError } from '../../../domain/common/error.ts';
import { rpcFault } from './words.ts';

/** The parameters of a request, as they came. */
export type RawParams = Readonly<Record<string, unknown>>;

/** Takes any value for what it is: tasks check their parameters by themselves. */
export const ANYTHING: StandardSchemaV1<RawParams, RawParams> = {
  '~standard': {
    version: 1,
    vendor: 'stoa',
    validate: (value) => ({ value: value as RawParams }),
  },
};

/** Serves a method on an SDK server; what it throws becomes a JSON-RPC error of its kind. */
export function serveMethod(
  server: Server,
  method: string,
  answer: (params: RawParams, context: ServerContext) => Promise<object>,
): void {
  server.setRequestHandler(method, { params: ANYTHING }, async (params, context) => {
    try {
      return (await answer(params, context)) as Result;
    } catch (thrown) {
      if (thrown instanceof ProtocolError) throw thrown;
      const { code, message, data } = rpcFault(toAppError(thrown));
      throw new ProtocolError(code, message, data);
    }
  });
}
