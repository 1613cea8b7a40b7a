/** Emitted by a machine when a person has to look; the console and the alerts show it. */
export interface OperatorNotice {
  readonly type: 'operator.notice';
  /** Address of the actor. */
  readonly actor: string;
  readonly reason: string;
}
