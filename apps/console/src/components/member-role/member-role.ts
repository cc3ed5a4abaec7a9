/** The rights of a membership, as far as they have a name. */
interface MemberRights {
  isAdmin: boolean;
  isDeviceAdmin: boolean;
  isGatewayAdmin: boolean;
}

/** "organization admin", "device admin and gateway admin", "user". An organization admin has the other roles, too. */
export function roleOf({ isAdmin, isDeviceAdmin, isGatewayAdmin }: MemberRights): string {
  if (isAdmin) return 'organization admin';
  const roles = [...(isDeviceAdmin ? ['device admin'] : []), ...(isGatewayAdmin ? ['gateway admin'] : [])];
  return roles.join(' and ') || 'user';
}
