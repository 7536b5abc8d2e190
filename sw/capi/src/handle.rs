//! Handles: numbers in the guise of pointers, which the library never follows. So a handle that was released, or that was never
//! one, is found out.

use std::{
    any::Any,
    collections::BTreeMap,
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError},
};

use portico::Fabric;

use crate::{
    carrier::Carrier,
    status::{portico_status, Failure},
};

/// A type of handle.
pub(crate) trait Handle {
    /// What it stands for.
    type Item: Any + Send;
    /// Its name in errors.
    const NAME: &'static str;
}

/// Says for what handles stand.
macro_rules! handles {
    ($($handle:ident: $item:ty, $name:literal;)+) => {
        $(impl $crate::handle::Handle for $handle {
            type Item = $item;
            const NAME: &'static str = $name;
        })+
    };
}
pub(crate) use handles;

/// A fabric that this process has opened: memory and registers of its nodes, and what was made in it. It belongs to one thread
/// at a time: a thread may hand it on to another, but while a call of it runs, calls of other threads return PORTICO_BUSY.
pub struct portico_fabric;

/// A fabric and all that its handles stand for.
pub(crate) struct State {
    pub fabric: Fabric<Carrier>,
    pub items: Items,
}

/// What the handles of a fabric stand for.
pub(crate) struct Items {
    /// The number of the fabric.
    owner: usize,
    live: BTreeMap<usize, Box<dyn Any + Send>>,
}

impl Items {
    /// Gives a handle for an item.
    pub fn add<H: Handle>(&mut self, item: H::Item) -> *mut H {
        let number = {
            let mut registry = registry();
            let number = registry.number();
            registry.owners.insert(number, self.owner);
            number
        };
        self.live.insert(number, Box::new(item));
        ptr::without_provenance_mut(number)
    }

    /// The item of a handle.
    pub fn get<H: Handle>(&self, handle: *const H) -> Result<&H::Item, Failure> {
        let item = self.live.get(&handle.addr()).and_then(|item| item.downcast_ref());
        item.ok_or_else(|| self.wrong(handle))
    }

    /// The item of a handle that may be NULL.
    pub fn optional<H: Handle>(&self, handle: *const H) -> Result<Option<&H::Item>, Failure> {
        (!handle.is_null()).then(|| self.get(handle)).transpose()
    }

    /// The item of a handle, to be changed.
    pub fn get_mut<H: Handle>(&mut self, handle: *const H) -> Result<&mut H::Item, Failure> {
        self.get(handle)?;
        let item = self.live.get_mut(&handle.addr()).and_then(|item| item.downcast_mut());
        Ok(item.expect("it was found"))
    }

    /// Takes the item of a handle, which is stale from now on.
    pub fn take<H: Handle>(&mut self, handle: *const H) -> Result<H::Item, Failure> {
        self.get(handle)?;
        let item = self.live.remove(&handle.addr()).expect("it was found");
        registry().owners.remove(&handle.addr());
        Ok(*item.downcast().expect("it was found"))
    }

    /// Keeps an item by the handle by which it was taken.
    pub fn put_back<H: Handle>(&mut self, handle: *const H, item: H::Item) {
        registry().owners.insert(handle.addr(), self.owner);
        self.live.insert(handle.addr(), Box::new(item));
    }

    /// Why a handle has no item of its type.
    fn wrong<H: Handle>(&self, handle: *const H) -> Failure {
        let (name, number) = (H::NAME, handle.addr());
        if handle.is_null() {
            return Failure::new(portico_status::PORTICO_E_NULL, format_args!("{name} is NULL"));
        }
        let (status, why) = match registry().owners.get(&number) {
            None => (portico_status::PORTICO_E_STALE, "was released, or never was a handle"),
            Some(&owner) if owner != self.owner => (portico_status::PORTICO_E_FOREIGN, "belongs to another fabric"),
            Some(_) => (portico_status::PORTICO_E_WRONG_HANDLE, "is a handle of another type"),
        };
        Failure::new(status, format_args!("{name} = {number:#x} {why}"))
    }
}

/// The fabrics of this process.
#[derive(Default)]
struct Registry {
    last: usize,
    fabrics: BTreeMap<usize, Arc<Mutex<State>>>,
    /// The fabric of each handle.
    owners: BTreeMap<usize, usize>,
}

impl Registry {
    /// A number that no handle has now. One that a handle has had comes again when all others have had their turn.
    fn number(&mut self) -> usize {
        loop {
            self.last = self.last.wrapping_add(1);
            let is_taken = self.owners.contains_key(&self.last) || self.fabrics.contains_key(&self.last);
            if self.last != 0 && !is_taken {
                return self.last;
            }
        }
    }

    fn fabric(&self, fabric: *const portico_fabric) -> Result<Arc<Mutex<State>>, Failure> {
        let number = fabric.addr();
        if fabric.is_null() {
            return Err(Failure::new(portico_status::PORTICO_E_NULL, "fabric is NULL"));
        }
        let found = self.fabrics.get(&number).cloned();
        found.ok_or_else(|| match self.owners.contains_key(&number) {
            true => Failure::new(
                portico_status::PORTICO_E_WRONG_HANDLE,
                format_args!("fabric = {number:#x} is a handle of another type"),
            ),
            false => Failure::new(
                portico_status::PORTICO_E_STALE,
                format_args!("fabric = {number:#x} was closed, or never was a handle"),
            ),
        })
    }
}

/// A panic leaves the registry valid, so a poisoned lock is ignored.
fn registry() -> MutexGuard<'static, Registry> {
    static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the work of a function: its error, or its panic, becomes the last one of this thread.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> portico_status {
    // What a panic leaves half done is behind the lock of a fabric, which it poisons.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    match result.unwrap_or_else(|panic| Err(Failure::internal(&*panic))) {
        Ok(()) => portico_status::PORTICO_OK,
        Err(failure) => failure.keep(),
    }
}

/// Runs the work of a function on a fabric.
pub(crate) fn call(
    fabric: *const portico_fabric,
    work: impl FnOnce(&mut State) -> Result<(), Failure>,
) -> portico_status {
    guarded(|| {
        let shared = registry().fabric(fabric)?;
        let mut state = shared.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => busy(),
            TryLockError::Poisoned(_) => Failure::new(
                portico_status::PORTICO_CLOSED,
                "an earlier call of the fabric ended with an internal error: close it",
            ),
        })?;
        work(&mut state)
    })
}

fn busy() -> Failure {
    Failure::new(
        portico_status::PORTICO_BUSY,
        "the fabric is in another call, of another thread or of its own transport",
    )
}

/// Gives a handle for a fabric.
pub(crate) fn add_fabric(fabric: Fabric<Carrier>) -> *mut portico_fabric {
    let mut registry = registry();
    let owner = registry.number();
    let live = BTreeMap::new();
    let items = Items { owner, live };
    registry
        .fabrics
        .insert(owner, Arc::new(Mutex::new(State { fabric, items })));
    ptr::without_provenance_mut(owner)
}

/// Ends a fabric, and all handles of it.
pub(crate) fn remove_fabric(fabric: *const portico_fabric) -> Result<(), Failure> {
    let shared = {
        let mut registry = registry();
        let shared = registry.fabric(fabric)?;
        if matches!(shared.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(busy());
        }
        registry.owners.retain(|_, owner| *owner != fabric.addr());
        registry.fabrics.remove(&fabric.addr());
        shared
    };
    // Behind the lock of the registry: a transport of the caller may call the library when its fabric ends.
    drop(shared);
    Ok(())
}
