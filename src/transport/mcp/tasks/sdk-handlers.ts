import {
  ProtocolError,
  type Result,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { toAppError } from '../../../domain/common/error.ts';
import { toRpcError } from './task-format.ts';

/** The unvalidated parameters of a request. */
export type RawParams = Readonly<Record<string, unknown>>;

/** A schema that accepts any value, because tasks validate their own parameters. */
export const ANY_PARAMS: StandardSchemaV1<RawParams, RawParams> = {
  '~standard': {
    version: 1,
    vendor: 'stoa',
    validate: (value) => ({ value: value as RawParams }),
  },
};

/** Registers a method on an SDK server. Thrown errors become JSON-RPC errors. */
export function serveMethod(
  server: Server,
  method: string,
  answer: (params: RawParams, context: ServerContext) => Promise<object>,
): void {
  server.setRequestHandler(method, { params: ANY_PARAMS }, async (params, context) => {
    try {
      return (await answer(params, context)) as Result;
    } catch (thrown) {
      if (thrown instanceof ProtocolError) throw thrown;
      const { code, message, data } = toRpcError(toAppError(thrown));
      throw new ProtocolError(code, message, data);
    }
  });
}
