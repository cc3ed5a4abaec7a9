import { IconListCheck } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { MenuItem } from '../components/menu/menu.tsx';
import { paths } from '../paths.ts';
import { useMay, useSession } from '../session/session.tsx';

/** Shows the first steps again after they were dismissed. */
export function FirstStepsItem() {
  const navigate = useNavigate();
  const may = useMay();
  const { organizationID } = useSession();
  const to = organizationID === undefined ? paths.dashboard() : paths.organization.one(organizationID);
  if (!may('firstSteps.makeProfiles') && !may('device.create') && !may('gateway.create')) return null;
  return (
    <MenuItem
      icon={<IconListCheck size={16} />}
      onChoose={() => void navigate({ to, search: { steps: 'shown' } as never })}
    >
      First steps
    </MenuItem>
  );
}
