import { type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import { type Client, ClientFactory } from '@a2a-js/sdk/client';

/** What a message of a test says. */
export interface Said {
  readonly text?: string;
  readonly data?: unknown;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly metadata?: Record<string, unknown>;
  readonly returnImmediately?: boolean;
  readonly push?: NonNullable<SendMessageRequest['configuration']>['taskPushNotificationConfig'];
}

/** The public client, found by the agent card alone. */
export function connectA2a(baseUrl: string): Promise<Client> {
  return new ClientFactory().createFromUrl(baseUrl);
}

/** A message as the public client sends it. */
export function say(said: Said): SendMessageRequest {
  const part = (content: Part['content']): Part => ({
    content,
    metadata: undefined,
    filename: '',
    mediaType: '',
  });
  const parts = [
    ...(said.text === undefined ? [] : [part({ $case: 'text', value: said.text })]),
    ...(said.data === undefined ? [] : [part({ $case: 'data', value: said.data })]),
  ];
  return {
    tenant: '',
    message: {
      messageId: crypto.randomUUID(),
      contextId: said.contextId ?? '',
      taskId: said.taskId ?? '',
      role: Role.ROLE_USER,
      parts,
      metadata: said.metadata,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: said.push,
      historyLength: undefined,
      returnImmediately: said.returnImmediately ?? false,
    },
    metadata: undefined,
  };
}
