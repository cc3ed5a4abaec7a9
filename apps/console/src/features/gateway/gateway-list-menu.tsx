import { IconHourglassHigh, IconWebhook } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useIDs } from '../../components/link/use-ids.ts';
import { MenuItem } from '../../components/menu/menu.tsx';
import { MoreActions } from '../../components/menu/more-actions.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

/** The menu of rare actions of the gateway list. */
export function GatewayListMenu() {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  const may = useMay();
  return (
    <MoreActions>
      <MenuItem
        icon={<IconHourglassHigh size={16} />}
        onChoose={() => void navigate({ to: paths.gatewaysAirtime(organizationID) })}
      >
        Airtime of gateways
      </MenuItem>
      {may('gatewayIntegration.get', organizationID) && (
        <MenuItem
          icon={<IconWebhook size={16} />}
          onChoose={() => void navigate({ to: paths.gatewayEvents(organizationID, 'edit') })}
        >
          Gateway events
        </MenuItem>
      )}
    </MoreActions>
  );
}
