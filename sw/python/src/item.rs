//! Items of a fabric: they are taken until they are released.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portico::{Error, Fabric};
use pyo3::{prelude::*, types::PyTuple};

use crate::{
    carrier::Carrier,
    failure::Failure,
    shared::{Shared, Waits},
};

/// An item of a fabric, until it is released.
pub(crate) struct Item<T> {
    shared: Arc<Shared>,
    /// Its name in errors.
    what: &'static str,
    /// Locked only while the fabric is, so this lock is never waited for.
    item: Mutex<Option<T>>,
}

/// An item that is locked together with its fabric.
pub(crate) struct Locked<'a, T> {
    what: &'static str,
    item: MutexGuard<'a, Option<T>>,
}

impl<T> Locked<'_, T> {
    /// The item.
    pub fn get(&mut self) -> Result<&mut T, Failure> {
        let what = self.what;
        self.item
            .as_mut()
            .ok_or_else(|| Failure::Argument(format!("the {what} is released")))
    }
}

impl<T: Send> Item<T> {
    pub fn new(shared: &Arc<Shared>, what: &'static str, item: T) -> Item<T> {
        Item {
            shared: shared.clone(),
            what,
            item: Mutex::new(Some(item)),
        }
    }

    /// The fabric of the item.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Locks the item in a call of this fabric.
    pub fn lock(&self, shared: &Arc<Shared>) -> Result<Locked<'_, T>, Failure> {
        let what = self.what;
        if !Arc::ptr_eq(&self.shared, shared) {
            return Err(Failure::Argument(format!("the {what} belongs to another fabric")));
        }
        let item = self.item.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Locked { what, item })
    }

    /// Runs work on the item and its fabric.
    pub fn call<V: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T, &mut Fabric<Carrier>) -> Result<V, Error> + Send,
    ) -> PyResult<V> {
        self.call_waiting(py, |item, fabric, _| Ok(work(item, fabric)?))
    }

    /// Runs work on the item and its fabric, with its waits.
    pub fn call_waiting<V: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T, &mut Fabric<Carrier>, Waits<'_>) -> Result<V, Failure> + Send,
    ) -> PyResult<V> {
        self.shared.call_waiting(py, |fabric, waits| {
            let mut locked = self.lock(&self.shared)?;
            work(locked.get()?, fabric, waits)
        })
    }

    /// Takes the item, which is released from then on.
    pub fn take<V: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(T, &mut Fabric<Carrier>) -> Result<V, Error> + Send,
    ) -> PyResult<V> {
        self.shared.call(py, |fabric| {
            let mut locked = self.lock(&self.shared)?;
            locked.get()?;
            let item = locked.item.take().expect("it was found");
            Ok(work(item, fabric)?)
        })
    }

    /// The end of a `with` block: releases the item, unless that was done in the block. After an exception in the block, that
    /// exception counts.
    pub fn exit(&self, exception: &Bound<'_, PyTuple>, release: impl FnOnce() -> PyResult<()>) -> PyResult<()> {
        let is_released = match self.item.try_lock() {
            Ok(item) => item.is_none(),
            Err(_) => false,
        };
        if is_released {
            return Ok(());
        }
        let released = release();
        match exception.get_item(0) {
            Ok(class) if !class.is_none() => Ok(()),
            _ => released,
        }
    }
}
