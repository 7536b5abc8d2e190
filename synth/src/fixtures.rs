//! Hand-written designs for the tests.

use portico_verilog::{Design, Direction, Module, Port};

/// A design of one text; ports as (name, width), outputs with a `>` before the name.
pub fn design(top: &str, ports: &[(&str, usize)], text: &str) -> Design {
    let port = |&(declared, width): &(&str, usize)| Port {
        name: declared.trim_start_matches('>').into(),
        direction: if declared.starts_with('>') {
            Direction::Output
        } else {
            Direction::Input
        },
        width,
    };
    Design {
        top: top.into(),
        header: "// A design for a test".into(),
        modules: vec![Module {
            name: top.into(),
            text: text.into(),
        }],
        ports: ports.iter().map(port).collect(),
    }
}

/// A FIFO of 8 bytes: LUT-RAM in a module of its own, and two pointers of 4 bits.
pub fn fifo() -> Design {
    let mut fifo = design(
        "fifo",
        &[
            ("clk", 1),
            ("rst", 1),
            ("s_axis_tdata", 8),
            ("s_axis_tvalid", 1),
            (">s_axis_tready", 1),
            (">m_axis_tdata", 8),
            (">m_axis_tvalid", 1),
            ("m_axis_tready", 1),
        ],
        "\
module fifo (
    input wire clk, input wire rst,
    input wire [7:0] s_axis_tdata, input wire s_axis_tvalid, output wire s_axis_tready,
    output wire [7:0] m_axis_tdata, output wire m_axis_tvalid, input wire m_axis_tready
);
    reg [3:0] tail;
    reg [3:0] head;
    wire push = s_axis_tvalid & s_axis_tready;
    wire [3:0] used = tail - head;
    assign s_axis_tready = ~used[3];
    assign m_axis_tvalid = |used;
    fifo_ram ram (
        .clk(clk), .write_enable(push), .write_address(tail[2:0]), .write_data(s_axis_tdata),
        .read_address(head[2:0]), .read_data(m_axis_tdata)
    );
    always @(posedge clk) begin
        if (rst) begin
            tail <= 4'd0;
            head <= 4'd0;
        end else begin
            tail <= tail + {3'd0, push};
            head <= head + {3'd0, m_axis_tvalid & m_axis_tready};
        end
    end
endmodule
",
    );
    let ram = Module {
        name: "fifo_ram".into(),
        text: "\
module fifo_ram (
    input wire clk, input wire write_enable, input wire [2:0] write_address, input wire [7:0] write_data,
    input wire [2:0] read_address, output wire [7:0] read_data
);
    (* ram_style = \"distributed\" *) reg [7:0] memory [0:7];
    always @(posedge clk) begin
        if (write_enable) begin
            memory[write_address] <= write_data;
        end
    end
    assign read_data = memory[read_address];
endmodule
"
        .into(),
    };
    fifo.modules.insert(0, ram);
    fifo
}

/// How a memory is read.
pub enum Read {
    /// Into a register, as block RAM is.
    Registered,
    /// Without a clock.
    Direct,
}

/// A memory of 512 words of 16 bits in two byte lanes.
pub fn ram(read: Read) -> Design {
    let read = match read {
        Read::Registered => "always @(posedge clk) if (read_enable) read_data <= memory[read_address];",
        Read::Direct => "always @* read_data = memory[read_address] & {16{read_enable}};",
    };
    design(
        "ram",
        &[
            ("clk", 1),
            ("write_lanes", 2),
            ("write_address", 9),
            ("write_data", 16),
            ("read_enable", 1),
            ("read_address", 9),
            (">read_data", 16),
        ],
        &format!(
            "\
module ram (
    input wire clk, input wire [1:0] write_lanes, input wire [8:0] write_address, input wire [15:0] write_data,
    input wire read_enable, input wire [8:0] read_address, output reg [15:0] read_data
);
    (* no_rw_check *) reg [15:0] memory [0:511];
    always @(posedge clk) begin
        if (write_lanes[0]) memory[write_address][7:0] <= write_data[7:0];
        if (write_lanes[1]) memory[write_address][15:8] <= write_data[15:8];
    end
    {read}
endmodule
"
        ),
    )
}

/// A core for a board: sends back the bytes that it receives, bit by bit, and counts on its LEDs.
pub fn board_core() -> Design {
    design(
        "portico_board",
        &[
            ("clk", 1),
            ("rst", 1),
            ("bit_cycles", 16),
            ("uart_rx", 1),
            (">uart_tx", 1),
            (">led", 4),
        ],
        "\
module portico_board (
    input wire clk, input wire rst, input wire [15:0] bit_cycles, input wire uart_rx, output wire uart_tx,
    output wire [3:0] led
);
    reg [2:0] held;
    reg [1:0] line;
    reg [15:0] cycles;
    reg [3:0] bits;
    wire is_last = cycles == bit_cycles;
    always @(posedge clk or posedge rst) begin
        if (rst) begin
            held <= 3'b111;
        end else begin
            held <= {held[1:0], 1'b0};
        end
    end
    always @(posedge clk) begin
        line <= {line[0], uart_rx};
        if (held[2]) begin
            cycles <= 16'd0;
            bits <= 4'd0;
        end else begin
            cycles <= is_last ? 16'd0 : cycles + 16'd1;
            bits <= bits + {3'd0, is_last};
        end
    end
    assign uart_tx = line[1];
    assign led = bits;
endmodule
",
    )
}

/// Two counters of one module, its text this many lines longer than it need be; the second one counts the first one's
/// overflows.
pub fn twins(lines: usize) -> Design {
    let mut twins = design(
        "twins",
        &[("clk", 1), ("rst", 1), (">y", 16)],
        "\
module twins (input wire clk, input wire rst, output wire [15:0] y);
    wire full;
    twin low (
        .clk(clk), .rst(rst), .enable(1'b1), .y(y[7:0]), .full(full)
    );
    twin high (
        .clk(clk), .rst(rst), .enable(full), .y(y[15:8]), .full()
    );
endmodule
",
    );
    let text = format!(
        "\
module twin (input wire clk, input wire rst, input wire enable, output reg [7:0] y, output wire full);
{}    assign full = &y;
    always @(posedge clk) if (rst) y <= 8'd0; else if (enable) y <= y + 8'd1;
endmodule
",
        "    // A line.\n".repeat(lines)
    );
    twins.modules.push(Module {
        name: "twin".into(),
        text,
    });
    twins
}
