/** Applications, and organizations with events of gateways, are divided into slots; the instance with the lease of a slot delivers to the integrations in it. */
const slotCount = 16;

export const allSlots: readonly number[] = Array.from({ length: slotCount }, (_, slot) => slot);

/** The slot of an application, or of global integrations when undefined. */
export const slotOf = (applicationID: number | undefined): number => Math.abs(applicationID ?? 0) % slotCount;

/**
 * Earlier versions lease everything under this name. While such an instance holds this lease, no instance leases a single slot.
 */
export const leaseOfAllSlots = 'deliveries';

export const leaseNameOf = (slot: number): string => `deliveries ${slot}`;
