import type { WalletCall } from '../escrow/work-board.ts';
import type { CaseView, EvidenceOrder } from './case-view.ts';

/**
 * Arbitrations of board jobs, as their parties access them. The caller's wallet is already proven.
 * Throws `DISPUTE_UNKNOWN` or `NOT_THE_PARTY`.
 */
export interface Arbitrations {
  /**
   * Submits evidence. Repeating the same signed request changes nothing and returns the same view.
   *
   * @throws {AppError} `EVIDENCE_LATE`, `EVIDENCE_EMPTY`, `EVIDENCE_DUPLICATE` or
   * `EVIDENCE_TOO_LARGE`; nothing is stored then.
   */
  submitEvidence(boardJobId: string, order: EvidenceOrder, by: WalletCall): Promise<CaseView>;
  read(boardJobId: string, by: WalletCall): Promise<CaseView>;
}
