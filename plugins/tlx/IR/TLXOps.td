#ifndef TLX_OPS_TD
#define TLX_OPS_TD

include "plugins/tlx/IR/TLXBarrierOps.td"
include "plugins/tlx/IR/TLXClusterOps.td"
include "plugins/tlx/IR/TLXDescriptorOps.td"
include "plugins/tlx/IR/TLXDotOps.td"
include "plugins/tlx/IR/TLXLayoutOps.td"
include "plugins/tlx/IR/TLXMemoryOps.td"
include "plugins/tlx/IR/TLXTaskOps.td"
include "plugins/tlx/IR/TLXWarpOps.td"

#endif // TLX_OPS_TD
