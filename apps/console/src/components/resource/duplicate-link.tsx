import { IconCopy } from '@tabler/icons-react';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { LinkButton } from '../link/link.tsx';
import { useIDs } from '../link/use-ids.ts';

/** Opens the form of a new record with a copy of this one, for users who may create one. */
export function DuplicateLink({
  of,
  id,
}: {
  of: 'application' | 'deviceProfile' | 'serviceProfile' | 'gatewayProfile';
  id: string;
}) {
  const { organizationID } = useIDs();
  const may = useMay();
  if (!may(`${of}.create`)) return null;
  return (
    <LinkButton
      variant="default"
      to={paths[of].create(organizationID)}
      search={{ from: id } as never}
      leftSection={<IconCopy size={16} />}
    >
      Duplicate
    </LinkButton>
  );
}
