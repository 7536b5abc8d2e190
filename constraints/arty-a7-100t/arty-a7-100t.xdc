# Digilent Arty A7-100T with XC7A100T: pins and clock of the board top. Sources: board.toml.

set_property -dict {PACKAGE_PIN E3 IOSTANDARD LVCMOS33} [get_ports {clk_in}]
set_property -dict {PACKAGE_PIN C2 IOSTANDARD LVCMOS33} [get_ports {button}]
set_property -dict {PACKAGE_PIN A9 IOSTANDARD LVCMOS33} [get_ports {uart_rx}]
set_property -dict {PACKAGE_PIN D10 IOSTANDARD LVCMOS33} [get_ports {uart_tx}]
set_property -dict {PACKAGE_PIN H5 IOSTANDARD LVCMOS33} [get_ports {led[0]}]
set_property -dict {PACKAGE_PIN J5 IOSTANDARD LVCMOS33} [get_ports {led[1]}]
set_property -dict {PACKAGE_PIN T9 IOSTANDARD LVCMOS33} [get_ports {led[2]}]
set_property -dict {PACKAGE_PIN T10 IOSTANDARD LVCMOS33} [get_ports {led[3]}]

create_clock -name clk_in -period 10.000 [get_ports {clk_in}]

# The core synchronises these inputs, and no clock goes with these outputs.
set_false_path -from [get_ports {button uart_rx}]
set_false_path -to [get_ports {uart_tx led[*]}]
# By two flip-flops each, which lie side by side.
set_property ASYNC_REG TRUE [get_cells {core/asked_reg core/asks_reg}]
set_property ASYNC_REG TRUE [get_cells {core/bridge/receiver/seen_reg core/bridge/receiver/level_reg}]

# Bank 0 of the configuration pins runs at 3.3 V.
set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 3.3 [current_design]
