import type { RedactionRule } from '../../actors/inspect/redaction/redaction-rule.ts';
import type { Definition } from '../../runtime/engine/types.ts';

/** What a person may do in the inspector, unless the options say otherwise. */
export const INSPECTOR_ACTIONS: readonly InspectorAction[] = ['send', 'retry', 'fork'];

/** What a person may do in the inspector. */
export type InspectorAction = 'send' | 'retry' | 'fork';

/** Options of `openInspector`. */
export interface OpenInspectorOptions {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Hides values before they leave the process. Default: nothing is hidden. */
  readonly redact?: readonly RedactionRule[];
  /** Default: all. An empty list makes the inspector read-only. */
  readonly actions?: readonly InspectorAction[];
  /**
   * Opens the inspector: 16 to 128 letters, digits, `_` and `-`. Default: a random one, new with
   * every start.
   */
  readonly token?: string;
  /** The kinds of an engine that `durable` did not create, for charts and events. */
  readonly definitions?: readonly Definition[];
  /** Receives internal errors. Default: a line on standard error. */
  readonly onFault?: (error: Error) => void;
}

/** A running inspector. */
export interface OpenedInspector {
  /** The link that opens it. Anyone who has it can perform every action that `actions` allows. */
  readonly url: string;
  /** The token of the link, for programs: `Authorization: Bearer <token>`. */
  readonly token: string;
  close(): Promise<void>;
}
