import type { getHttpRpcClient } from 'viem/utils';
import type { Asked } from './ipc-node.ts';

type Client = typeof getHttpRpcClient;

/** Answers a request of JSON-RPC. @throws where there is no answer */
export type Answer = (url: string, asked: Asked, timeoutMs: number) => Promise<unknown>;

let answer: Answer | undefined;

/** Answers requests of this process from now on. @returns What ends that. */
export function answerRequests(by: Answer): () => void {
  answer = by;
  return () => {
    answer = undefined;
  };
}

/**
 * The HTTP client of `viem/utils` for `vi.mock`: nothing leaves the process while requests are
 * answered here. HTTP itself would take most of the time.
 */
export function inProcessHttp(real: Client): Client {
  return (url, options) => {
    const client = real(url, options);
    const request: typeof client.request = (params) =>
      answer === undefined
        ? client.request(params)
        : (answer(url, params.body as Asked, options?.timeout ?? 0) as never);
    return { ...client, request };
  };
}
