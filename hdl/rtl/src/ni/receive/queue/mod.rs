//! Queues: messages come in, and their places go back to the senders.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Message`] | a message on its way into a queue |
//! | [`Release`] | gives the places of taken messages back to their senders |
//! | [`QueuePlace`] | where a queue keeps a message |
//! | [`FrontEncoder`], [`FrontDecoder`] | the word in front of a message |

mod message;
mod queue_place;
mod release;

pub use message::Message;
pub use queue_place::{FrontDecoder, FrontEncoder, QueuePlace};
pub use release::Release;
