import { Button } from '@mantine/core';
import { IconChevronDown, IconKey, IconKeyboard, IconLogout, IconUser } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { Menu, MenuItem } from '../components/menu/menu.tsx';
import { paths } from '../paths.ts';
import { useSession } from '../session/session.tsx';
import { AccountItem } from './account-item.tsx';
import { FirstStepsItem } from './first-steps-item.tsx';
import { HelpItem } from './help-link.tsx';
import classes from './user-menu.module.css';

export function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { user, settings } = useSession();
  const navigate = useNavigate();
  const { enabled, logoutURL } = settings.openidConnect;

  // Entering the sign-in page ends the session, so a user who cancels in the unsaved-changes dialog is still signed in.
  const leave = () => void navigate({ to: paths.login(), state: { leaveFor: enabled ? logoutURL : '' } });

  return (
    <Menu
      label="Account"
      trigger={(props) => (
        <Button
          {...props}
          variant="subtle"
          color="gray"
          className={classes.button}
          aria-label={`Account: ${user.email}`}
          leftSection={<IconUser size={18} />}
          rightSection={<IconChevronDown size={14} className={classes.wide} />}
        >
          <span className={`${classes.wide} ${classes.email}`}>{user.email}</span>
        </Button>
      )}
    >
      <div className={classes.narrow} role="presentation">
        {user.email}
      </div>
      {!enabled && (
        <MenuItem icon={<IconKey size={16} />} onChoose={() => void navigate({ to: paths.userPassword(user.id) })}>
          Change password
        </MenuItem>
      )}
      <AccountItem />
      <FirstStepsItem />
      <MenuItem icon={<IconKeyboard size={16} />} onChoose={onShortcuts}>
        Keyboard shortcuts
      </MenuItem>
      <HelpItem />
      <MenuItem icon={<IconLogout size={16} />} onChoose={leave}>
        Logout
      </MenuItem>
    </Menu>
  );
}
