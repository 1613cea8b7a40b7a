/** Emitted by a machine when the operator must act; shown in the console and in alerts. */
export interface OperatorNotice {
  readonly type: 'operator.notice';
  /** Id of the actor. */
  readonly actor: string;
  readonly reason: string;
}
