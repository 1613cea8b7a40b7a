import type { JsonObject } from '../../domain/json.ts';
import type { ToolService } from '../../domain/tool.ts';
import { type RpcId, resultJson } from './json-rpc.ts';

/** Room behind the list for the id and the closing brackets, in bytes. */
const TAIL_BYTES = 512;

/**
 * `tools/list` from bytes that are made once. The order of members in a JSON object is free, so the
 * id stands last and the large part never moves.
 */
export class ListAnswer {
  /** The result as JSON text. */
  readonly text: string;
  private readonly buffer: Buffer;
  private readonly headBytes: number;

  constructor(listJson: string, more: readonly JsonObject[]) {
    this.text = more.length === 0 ? listJson : extend(listJson, more);
    const head = `{"jsonrpc":"2.0","result":${this.text},"id":`;
    this.headBytes = Buffer.byteLength(head);
    this.buffer = Buffer.alloc(this.headBytes + TAIL_BYTES);
    this.buffer.write(head);
  }

  /** The whole response. The bytes are reused by the next call. */
  bytes(id: RpcId): Buffer | string {
    const tail = `${typeof id === 'number' ? id : JSON.stringify(id)}}`;
    if (Buffer.byteLength(tail) > TAIL_BYTES) return resultJson(id, this.text);
    const written = this.buffer.write(tail, this.headBytes);
    return this.buffer.subarray(0, this.headBytes + written);
  }
}

/** The listing of a server in which the tools that can be called as tasks say so. */
export function taskListJson({ tools, listJson, jobs }: ToolService): string {
  if (jobs === undefined) return listJson;
  const rows = tools.map((tool) =>
    jobs.toolNames.has(tool.name) ? { ...tool, execution: { taskSupport: 'optional' } } : tool,
  );
  return JSON.stringify({ tools: rows });
}

function extend(listJson: string, more: readonly JsonObject[]): string {
  const list: { tools: readonly unknown[] } = JSON.parse(listJson);
  return JSON.stringify({ ...list, tools: [...list.tools, ...more] });
}
