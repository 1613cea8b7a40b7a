import type { WalletCall } from '../escrow/work-board.ts';
import type { CaseView, EvidenceOrder } from './case-view.ts';

/**
 * Arbitrations of jobs of the board, as their parties reach them. Whose wallet asks was proven
 * before. Throws `DISPUTE_UNKNOWN`, `NOT_THE_PARTY`.
 */
export interface Arbitrations {
  /**
   * Hands evidence in. The same signed request again changes nothing and answers the same.
   *
   * @throws {AppError} `EVIDENCE_LATE`, `EVIDENCE_EMPTY`, `EVIDENCE_DUPLICATE`,
   * `EVIDENCE_TOO_LARGE`; nothing is taken then.
   */
  give(boardJobId: string, order: EvidenceOrder, by: WalletCall): Promise<CaseView>;
  read(boardJobId: string, by: WalletCall): Promise<CaseView>;
}
