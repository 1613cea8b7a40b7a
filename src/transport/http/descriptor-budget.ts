/** The file descriptors of this process. Each connection uses one, as does every open file. */
export interface DescriptorBudget {
  /** Returns how many more connections leave enough descriptors for everything else. */
  connectionCapacity(): number;
  /**
   * Returns the number of the next descriptor, a lower bound on how many are open. `undefined` when
   * none can be opened.
   */
  nextDescriptor(): number | undefined;
  /** The descriptor number from which connections must wait. */
  readonly lowWatermark: number;
  /** Reserves some descriptors if enough remain. Returns whether it did. */
  reserve(): boolean;
  /** Releases the reserved descriptors for uses other than connections. */
  release(): void;
  /** Called when a connection was rejected for lack of descriptors. */
  onRejected(): void;
}
