/** The rights of a membership, as far as they have a name. */
interface MemberRights {
  isAdmin: boolean;
  isDeviceAdmin: boolean;
  isGatewayAdmin: boolean;
  isReadOnly?: boolean;
}

/** "organization admin", "device admin and gateway admin", "user", "read-only user". An organization admin has the other roles, too. */
export function roleOf({ isAdmin, isDeviceAdmin, isGatewayAdmin, isReadOnly }: MemberRights): string {
  if (isReadOnly) return 'read-only user';
  if (isAdmin) return 'organization admin';
  const roles = [...(isDeviceAdmin ? ['device admin'] : []), ...(isGatewayAdmin ? ['gateway admin'] : [])];
  return roles.join(' and ') || 'user';
}
