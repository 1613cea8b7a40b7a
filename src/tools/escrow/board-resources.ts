import { AppError, type ErrorCode } from '../../domain/common/error.ts';
import type { WorkBoard } from '../../domain/escrow/work-board.ts';
import type { ResourceReader } from '../service/resource-reader.ts';

/** Maximum number of requests that the resource lists. */
const OPEN_MAX = 100;
const JSON_TYPE = 'application/json';
const OPEN = 'stoa://a2a/requests/open';
const REQUEST = /^stoa:\/\/a2a\/requests\/([A-Za-z0-9_-]{1,128})$/;
const JOB = /^stoa:\/\/a2a\/jobs\/([A-Za-z0-9_-]{1,128})$/;

/** The read operations of the work board. */
export type BoardReader = Pick<WorkBoard, 'listOpenRequests' | 'readRequest' | 'readJob'>;

/** Returns the work board as MCP resources. Changes use wallet-signed HTTP requests. */
export function boardResources(board: BoardReader): readonly ResourceReader[] {
  return [
    createReader(
      'requests/open',
      'Open requests',
      'Requests that accept bids, newest first.',
      (uri) =>
        uri === OPEN
          ? board
              .listOpenRequests({ limit: OPEN_MAX })
              .then(({ rows, cursor }) => ({ requests: rows, cursor }))
          : undefined,
    ),
    createReader(
      'requests/{id}',
      'Request',
      'A request with its bids and the available actions.',
      (uri) => findByUri(uri, REQUEST, 'REQUEST_UNKNOWN', (id) => board.readRequest(id)),
    ),
    createReader(
      'jobs/{id}',
      'Job',
      'A job with its release block and the available actions.',
      (uri) => findByUri(uri, JOB, 'JOB_UNKNOWN', (id) => board.readJob(id)),
    ),
  ];
}

function createReader(
  path: string,
  name: string,
  description: string,
  find: (uri: string) => Promise<unknown> | undefined,
): ResourceReader {
  return {
    template: { uriTemplate: `stoa://a2a/${path}`, name, description, mimeType: JSON_TYPE },
    read: async (uri) => {
      const found = await find(uri);
      if (found === undefined) return undefined;
      return { uri, mimeType: JSON_TYPE, text: JSON.stringify(found) };
    },
  };
}

/** Returns `undefined` for other URIs and for unknown ids. */
async function findByUri(
  uri: string,
  address: RegExp,
  unknown: ErrorCode,
  find: (id: string) => Promise<unknown>,
): Promise<unknown> {
  const id = address.exec(uri)?.[1];
  if (id === undefined) return undefined;
  try {
    return await find(id);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === unknown) return undefined;
    throw thrown;
  }
}
