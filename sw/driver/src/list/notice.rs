//! How the host learns that all members of a launch have ended: a mailbox in barrier mode, and the event in which it counts.

use portico_spec::ni::{
    descriptor::{Command, Descriptor},
    mailbox::{Control, Mode},
};

use crate::{
    command,
    mailbox::Delivery,
    registers::{EventRegister, MailboxRegister},
    Error, Fabric, Transport,
};

/// Most mails of a barrier.
const MOST: usize = u8::MAX as usize;

/// A mailbox of the host and its event. Launches share it if the host has few; one of them is under way at a time.
#[derive(Debug)]
pub(crate) struct Notice {
    mailbox: u8,
    event: u8,
    /// The count of the event when the launch that has started last has ended.
    pub target: u16,
    /// Launches that name the mailbox.
    users: usize,
}

impl<T: Transport> Fabric<T> {
    /// A notice for a launch that is prepared: its place among the notices. The host keeps half of its mailboxes, and three quarters
    /// of its events, for other uses; launches beyond share a notice.
    pub(crate) fn take_notice(&mut self) -> Result<usize, Error> {
        let host = self.port.host;
        let build = &self.nodes[host].build;
        let most = (build.mailboxes / 2).min(build.events / 4).max(1);
        if self.notices.len() < most {
            match self.add_notice(host) {
                Ok(()) => {}
                Err(Error::Exhausted { .. }) if !self.notices.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        let places = 0..self.notices.len();
        let place = places
            .min_by_key(|&place| self.notices[place].users)
            .expect("there is one");
        self.notices[place].users += 1;
        Ok(place)
    }

    fn add_notice(&mut self, host: usize) -> Result<(), Error> {
        let event = self.event(host)?;
        let mailbox = match self.mailbox(host, Delivery::Barrier(1), Some(&event)) {
            Ok(mailbox) => mailbox,
            Err(error) => {
                // The first error tells the cause.
                let _ = event.release(self);
                return Err(error);
            }
        };
        self.notices.push(Notice {
            mailbox: mailbox.number(),
            event: event.number(),
            target: 0,
            users: 0,
        });
        Ok(())
    }

    /// The launch is released. The notice stays for the next one.
    pub(crate) fn give_notice(&mut self, place: usize) {
        self.notices[place].users -= 1;
    }

    /// The mail by which a member tells the host that all before it has ended, without its event.
    pub(crate) fn mail_of_notice(&self, place: usize) -> Result<Vec<u32>, Error> {
        let mail = Command::Mail {
            node: self.config().terminal_node(self.port.host),
            mailbox: self.notices[place].mailbox,
            value: 0,
        };
        let mail = Descriptor {
            drained: true,
            ..Descriptor::new(mail)
        };
        Ok(mail.encode(self.config())?)
    }

    /// Waits until an earlier launch has ended, then expects so many mails. Gives the count of the event when all are there.
    pub(crate) fn expect_mails(&mut self, place: usize, mails: usize) -> Result<u16, Error> {
        let begun = self.port.transport.cycles();
        while !self.is_told(place, self.notices[place].target)? {
            self.check_time(begun, self.port.timeout, self.port.host, "an earlier list")?;
        }
        // More mails than a barrier has make several barriers.
        let expected = (1..=MOST)
            .rev()
            .find(|most| mails.is_multiple_of(*most))
            .expect("1 divides all");
        let Notice {
            mailbox, event, target, ..
        } = self.notices[place];
        let control = Control {
            mode: Mode::Barrier,
            event: Some(event),
            expected: expected as u8,
        };
        let control = control.encode().expect("an event of the host");
        // The count begins anew: mails of an earlier launch that was given up do not count.
        let registers = [(MailboxRegister::Control, control), (MailboxRegister::Count, 0)];
        self.poke_item(self.port.host, mailbox.into(), registers)?;
        Ok(target.wrapping_add((mails / expected) as u16))
    }

    /// Whether the event has come to this count: one access.
    pub(crate) fn is_told(&mut self, place: usize, target: u16) -> Result<bool, Error> {
        let event = self.notices[place].event;
        let count = self.peek(self.port.host, EventRegister::Count, event.into())? as u16;
        Ok(command::reached(count, target))
    }

    /// Ends the wait for the mails of a launch of which some do not come.
    pub(crate) fn forget_mails(&mut self, place: usize) -> Result<(), Error> {
        let event = self.notices[place].event;
        self.notices[place].target = self.peek(self.port.host, EventRegister::Count, event.into())? as u16;
        Ok(())
    }
}
