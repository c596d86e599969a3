// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: what is lost is explained, or said not to be. */
#include "doctor_case.hpp"

extern "C" {
#include "doctor/snapshot/loss_counters.h"
}

static std::set<std::string> ids_of(const doctor_loss *loss)
{
	std::istringstream words(loss->by ? loss->by : "");
	std::set<std::string> ids;
	std::string id;

	while (words >> id)
		if (id != "-")
			ids.insert(id);
	return ids;
}

static std::set<std::string> all_checks()
{
	std::set<std::string> ids;
	const doctor_check *check;

	for (size_t i = 0; (check = doctor_check_at(i)); i++)
		ids.insert(check->id);
	return ids;
}

/* The counters of protocols that a kernel has, as healthy.json does. */
static std::vector<std::string> counters()
{
	std::vector<std::string> names;
	Bundle bundle;

	json_object_object_foreach(bundle.get("/after/counters"), name, value) {
		(void)value;
		names.push_back(name);
	}
	return names;
}

TEST_CASE("doctor: no counter of a loss that rises leaves a host healthy", "[doctor][loss]")
{
	const std::set<std::string> checks = all_checks();
	unsigned losses = 0;

	for (const std::string &name : counters()) {
		const doctor_loss *loss = doctor_loss_of(DOCTOR_IN_COUNTERS, name.c_str(), "");

		if (!loss || !loss->what)
			continue;
		losses++;
		for (const std::string &id : ids_of(loss)) {
			INFO(name << ": " << id);
			CHECK(checks.count(id));
		}

		Bundle bundle;

		bundle.rise(name, 3000000);

		Diagnosis diagnosis(bundle.text());

		INFO(name << "\n" << diagnosis.printed(false));
		CHECK((diagnosis.exit_code() != RXAQM_EXIT_OK ||
		       !diagnosis.with(DOCTOR_FOUND).empty()));
	}
	CHECK(losses > 50);
}

TEST_CASE("doctor: what no finding explains is printed with what it counts", "[doctor][loss]")
{
	Bundle bundle, few;

	bundle.rise("Ip.InDiscards", 4000).rise("Ip.InReceives", 20000);
	few.rise("Ip.InDiscards", 4).rise("Ip.InReceives", 20000);

	Diagnosis diagnosis(bundle.text());
	const std::string text = diagnosis.printed(false);

	INFO(text);
	CHECK(diagnosis.primary() == "");
	CHECK(diagnosis.exit_code() == RXAQM_EXIT_UNSUPPORTED);
	CHECK(text.find(
		      "NOTHING FOUND, but something is lost or refused, and no check explains it") !=
	      text.npos);
	CHECK(text.find("  400/s of Ip.InDiscards (packets that IP dropped") != text.npos);
	CHECK(diagnosis.printed(false, true).find("\"counter\": \"Ip.InDiscards\"") != text.npos);
	CHECK(Diagnosis(few.text()).exit_code() == RXAQM_EXIT_OK);
}

TEST_CASE("doctor: a counter that no kernel has yet, and is named like a loss", "[doctor][loss]")
{
	Bundle bundle;

	bundle.rise("TcpExt.TCPNewKindOfDrop", 3000000);
	bundle.rise_at("ifaces/1/ethtool/rx_new_kind_of_discard", 3000000);
	CHECK(Diagnosis(bundle.text()).unexplained() ==
	      std::set<std::string>{ "TcpExt.TCPNewKindOfDrop", "rx_new_kind_of_discard" });
}

/* Names as drivers print them (their ethtool.c), and the check that must read them. */
TEST_CASE("doctor: counters of drivers by their names", "[doctor][loss]")
{
	static const struct {
		const char *driver, *name, *id; /* "": it slows nothing */
	} rows[] = {
		{ "ixgbe", "rx_no_dma_resources", "nic-ring-overflow" },
		{ "ixgbe", "tx_flow_control_xon", "nic-pauses" },
		{ "ixgbe", "tx_flow_control_xoff", "nic-pauses" },
		{ "ixgbe", "alloc_rx_buff_failed", "nic-no-memory" },
		{ "ixgbe", "alloc_rx_page_failed", "nic-no-memory" },
		{ "e1000e", "rx_no_buffer_count", "" },
		{ "e1000e", "rx_missed_errors", "nic-ring-overflow" },
		{ "i40e", "port.link_xoff_tx", "nic-pauses" },
		{ "i40e", "port.link_xoff_rx", "nic-pauses-received" },
		{ "ice", "link_xoff_tx.nic", "nic-pauses" },
		{ "ice", "tx_priority_3_xoff.nic", "nic-pauses" },
		{ "i40e", "port.rx_dropped", "nic-ring-overflow" },
		{ "i40e", "rx_alloc_fail", "nic-no-memory" },
		{ "mlx5_core", "tx_prio3_pause", "nic-pauses" },
		{ "mlx5_core", "rx_prio3_pause", "nic-pauses-received" },
		{ "mlx5_core", "tx_prio3_pause_duration", "" },
		{ "mlx5_core", "rx_global_pause_transition", "" },
		{ "mlx5_core", "rx_prio3_discards", "nic-port-discards" },
		{ "mlx5_core", "rx_oversize_pkts_phy", "frames-too-long" },
		{ "mlx5_core", "rx_err_lane_0_phy", "" },
		{ "mlx5_core", "rx_pp_recycle_ring_full", "" },
		{ "ixgbe", "fdir_miss", "" },
		{ "ixgbe", "rx_csum_offload_errors", "" },
		{ "igb", "rx_long_length_errors", "frames-too-long" },
		{ "igb", "rx_short_length_errors", "wire-errors" },
		{ "igb", "tx_deferred_ok", "" },
		{ "ena", "queue_0_tx_unmask_interrupt", "" },
		{ "ena", "queue_0_rx_empty_rx_ring", "nic-ring-overflow" },
		{ "ena", "queue_0_rx_xdp_aborted", "xdp-drops" },
		{ "tg3", "rx_fcs_errors", "wire-errors" },
		{ "bnxt_en", "rx_total_ring_discards", "nic-ring-overflow" },
		{ "bnxt_en", "rx_total_oom_discards", "nic-no-memory" },
		{ "bnxt_en", "rx_discard_packets_cos0", "nic-port-discards" },
		{ "bnxt_en", "rx_code_err_frames", "wire-errors" },
		{ "bnxt_en", "rx_ovrsz_frames", "frames-too-long" },
		{ "bnxt_en", "rx_filter_miss", "" },
		{ "stmmac", "da_rx_filter_fail", "" },
		{ "mtk_soc_eth", "rx_overflow", "nic-ring-overflow" },
		{ "mtk_soc_eth", "rx_long_errors", "frames-too-long" },
		{ "lan78xx", "RX Dropped Frames", "nic-ring-overflow" },
		{ "lan78xx", "RX Alignment Errors", "wire-errors" },
		{ "macb", "rx_resource_errors", "nic-ring-overflow" },
		{ "mvneta", "rx_discard", "nic-ring-overflow" },
		{ "sfc", "port_rx_pm_discard_vfifo_full", "nic-port-discards" },
		{ "sfc", "rx_tcp_udp_chksum_err", "" },
		{ "mlx5_core", "tx_global_pause", "nic-pauses" },
		{ "mlx5_core", "tx_pause_ctrl_phy", "nic-pauses" },
		{ "mlx5_core", "rx_discards_phy", "nic-port-discards" },
		{ "mlx5_core", "rx_prio0_buf_discard", "nic-port-discards" },
		{ "mlx5_core", "rx_steer_missed_packets", "" },
		{ "mlx5_core", "rx_out_of_buffer", "nic-ring-overflow" },
		{ "mlx5_core", "dev_out_of_buffer", "nic-ring-overflow" },
		{ "mlx5_core", "rx_buff_alloc_err", "nic-no-memory" },
		{ "mlx5_core", "rx0_cache_full", "" },
		{ "mlx5_core", "rx_crc_errors_phy", "wire-errors" },
		{ "ena", "rx_drops", "nic-ring-overflow" },
		{ "ena", "rx_overruns", "nic-ring-overflow" },
		{ "ena", "pps_allowance_exceeded", "nic-allowance" },
		{ "vmxnet3", "pkts rx OOB", "nic-ring-overflow" },
		{ "vmxnet3", "rx buf alloc fail", "nic-no-memory" },
		{ "vmxnet3", "drv dropped rx total", "rx-dropped" },
		{ "bnx2x", "rx_brb_discard", "nic-port-discards" },
		{ "cxgb4", "rx_bg0_frames_dropped  ", "nic-port-discards" },
		{ "bnx2", "rx_fw_discards", "nic-ring-overflow" },
		{ "tg3", "rxbds_empty", "nic-ring-overflow" },
		{ "be2net", "rxq0: rx_drops_no_frags", "nic-ring-overflow" },
		{ "sfc", "rx_nodesc_drop_cnt", "nic-ring-overflow" },
		{ "bnxt_en", "rx_total_discard_pkts", "nic-ring-overflow" },
		{ "qede", "no_buff_discards", "nic-ring-overflow" },
		{ "hinic", "rx_no_memory", "nic-no-memory" },
		{ "hv_netvsc", "vf_rx_dropped", "rx-dropped" },
		{ "veth", "rx_queue_0_drops", "rx-dropped" },
		{ "virtio_net", "rx_queue_0_drops", "rx-dropped" },
		{ "igb", "rx_queue_0_drops", "nic-ring-overflow" },
		{ "ice", "rx_dropped", "nic-ring-overflow" },
		{ "ice", "rx_dropped.nic", "nic-ring-overflow" },
		{ "i40e", "rx_dropped", "rx-dropped" },
		{ "iavf", "rx_discards", "nic-ring-overflow" },
		{ "atlantic", "InDroppedDma", "nic-ring-overflow" },
		{ "nicvf", "rx_drop_red", "nic-ring-overflow" },
		{ "nicvf", "rx_drop_overrun", "nic-ring-overflow" },
		{ "virtio_net", "rx_queue_0_xdp_drops", "xdp-drops" },
		{ "virtio_net", "tx0_tx_timeouts", "tx-hangs" },
		{ "vmxnet3", "tx timeout count", "tx-hangs" },
		{ "e1000e", "tx_timeout_count", "tx-hangs" },
		{ "st_gmac", "mmc_rx_fifo_overflow", "nic-port-discards" },
		{ "st_gmac", "rx_overflow_irq", "nic-port-discards" },
		{ "be2net", "rx_input_fifo_overflow_drop", "nic-port-discards" },
		{ "rvu-nicpf", "cgx_rxstat6: ", "nic-port-discards" },
		{ "mvpp2", "rx_fifo_or_parser_overrun_drops", "nic-port-discards" },
		{ "mvpp2", "rxq_0_queue_full_drops", "nic-ring-overflow" },
		{ "mvpp2", "rxq_0_packets_bm_drops", "nic-ring-overflow" },
		{ "am65-cpsw-nuss", "rx_bottom_fifo_drop", "nic-port-discards" },
		{ "fec", "IEEE_rx_macerr", "nic-port-discards" },
		{ "gve", "rx_queue_drop_cnt[0]", "nic-ring-overflow" },
		{ "virtio_net", "rx0_hw_drops", "nic-ring-overflow" },
		{ "qede", "packet_too_big_discard", "frames-too-long" },
		{ "am65-cpsw-nuss", "ale_vid_ingress_drop", "" },
		{ "bnxt_en", "pcie_correctable_errors", "" },
		{ "igb", "rx_queue_0_alloc_failed", "nic-no-memory" },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		bundle.set("/after/ifaces/1/driver", std::string("\"") + row.driver + "\"");
		/* Above 1 % rx-dropped explains nothing. */
		bundle.rise_at(std::string("ifaces/1/ethtool/") + row.name,
			       row.id == std::string("rx-dropped") ? 3000 : 300000);

		Diagnosis diagnosis(bundle.text());
		const std::set<std::string> found = diagnosis.with(DOCTOR_FOUND);

		INFO(row.driver << " " << row.name << "\n" << diagnosis.printed(false));
		CHECK(found ==
		      (*row.id ? std::set<std::string>{ row.id } : std::set<std::string>{}));
		CHECK(diagnosis.unexplained().empty());
	}
	/* What the collector keeps goes by the same. */
	CHECK(doctor_loss_of(DOCTOR_IN_ETHTOOL, "rx_prio3_pause_duration", "mlx5_core")->what);
	CHECK(!doctor_loss_of(DOCTOR_IN_ETHTOOL, "rx_discard_bytes_cos0", "bnxt_en"));
}

/* What a driver counts under several names is lost once; names are those of Linux 6.12. */
TEST_CASE("doctor: a loss of many names is one loss", "[doctor][loss]")
{
	static const struct {
		const char *driver;
		std::vector<std::pair<const char *, unsigned>> rises; /* below an interface */
		const char *id;
		unsigned lost;
	} rows[] = {
		{ "ice",
		  { { "ethtool/rx_dropped", 5000 },
		    { "ethtool/rx_dropped.nic", 5000 },
		    { "stats/rx_missed_errors", 5000 },
		    { "stats/rx_dropped", 5000 } },
		  "nic-ring-overflow",
		  5000 },
		/* Its rx_fifo_errors are those of queues and of the MAC. */
		{ "igb",
		  { { "ethtool/rx_missed_errors", 4000 },
		    { "ethtool/rx_no_buffer_count", 4000 },
		    { "ethtool/rx_queue_0_drops", 600 },
		    { "ethtool/rx_queue_1_drops", 400 },
		    { "ethtool/rx_fifo_errors", 5000 },
		    { "stats/rx_fifo_errors", 5000 },
		    { "stats/rx_missed_errors", 4000 } },
		  "nic-ring-overflow",
		  5000 },
		{ "bnxt_en",
		  { { "ethtool/[0]: rx_discards", 3000 },
		    { "ethtool/[1]: rx_discards", 2000 },
		    { "ethtool/rx_total_discard_pkts", 5000 },
		    { "ethtool/rx_total_ring_discards", 5000 } },
		  "nic-ring-overflow",
		  5000 },
		{ "mlx5_core",
		  { { "ethtool/rx0_buff_alloc_err", 3000 },
		    { "ethtool/rx11_buff_alloc_err", 2000 },
		    { "ethtool/rx_buff_alloc_err", 5000 } },
		  "nic-no-memory",
		  5000 },
		{ "mlx5_core",
		  { { "ethtool/tx_pause_ctrl_phy", 5000 },
		    { "ethtool/tx_global_pause", 5000 },
		    { "ethtool/tx_prio0_pause", 5000 } },
		  "nic-pauses",
		  5000 },
		{ "e1000e",
		  { { "ethtool/rx_align_errors", 5000 },
		    { "ethtool/rx_frame_errors", 5000 },
		    { "stats/rx_frame_errors", 5000 } },
		  "wire-errors",
		  5000 },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		bundle.set("/after/ifaces/1/driver", std::string("\"") + row.driver + "\"");
		for (const auto &[name, rise] : row.rises)
			bundle.rise_at(std::string("ifaces/1/") + name, rise);

		Diagnosis diagnosis(bundle.text());

		INFO(row.driver << " " << row.id << "\n" << diagnosis.printed(true));
		CHECK(diagnosis.with(DOCTOR_FOUND) == std::set<std::string>{ row.id });
		CHECK(diagnosis.printed(true).find("events=" + std::to_string(row.lost) + ",") !=
		      std::string::npos);
		CHECK(diagnosis.unexplained().empty());
	}
}

TEST_CASE("doctor: what nothing explains is one row, however many counters tell it",
	  "[doctor][loss]")
{
	Bundle twins, others;

	twins.rise_at("ifaces/1/stats/tx_dropped", 9000).rise_at("ifaces/1/ethtool/tx_drops", 9001);
	twins.rise_at("ifaces/1/ethtool/odd_discard", 70000);
	twins.rise_at("ifaces/1/ethtool/odd_discard_total", 70007);
	CHECK(Diagnosis(twins.text()).unexplained() ==
	      std::set<std::string>{ "tx_drops", "odd_discard_total" });
	others.rise_at("ifaces/1/ethtool/odd_discard", 70000);
	others.rise_at("ifaces/1/ethtool/even_discard", 40000);
	CHECK(Diagnosis(others.text()).unexplained() ==
	      std::set<std::string>{ "odd_discard", "even_discard" });
}

TEST_CASE("doctor: what busy hosts count besides, and lose nothing by", "[doctor][loss]")
{
	for (const char *name : { "TcpExt.TCPTimeWaitOverflow", "Ip6.OutNoRoutes" }) {
		Bundle bundle;

		bundle.rise("Ip.InReceives", 900000).rise("Tcp.InSegs", 900000);
		INFO(name);
		CHECK(Diagnosis(bundle.rise(name, 4000).text()).exit_code() == RXAQM_EXIT_OK);
	}
}

/* 2.5 % of the packets: of most drivers' rx_dropped nobody knows what it is. */
TEST_CASE("doctor: rx_dropped is the ring of some drivers, and of others nobody's",
	  "[doctor][loss]")
{
	for (const auto &[driver, id] :
	     std::vector<std::pair<std::string, std::string>>{ { "ena", "nic-ring-overflow" },
							       { "idpf", "nic-ring-overflow" },
							       { "ice", "" },
							       { "i40e", "" },
							       { "vmxnet3", "" },
							       { "e1000", "" },
							       { "e1000e", "rx-dropped" },
							       { "r8169", "rx-dropped" } }) {
		std::set<std::string> found;
		Bundle bundle;

		if (id != "")
			found.insert(id);
		bundle.set("/after/ifaces/1/driver", "\"" + driver + "\"");
		bundle.rise_at("ifaces/1/stats/rx_dropped", 9000);
		INFO(driver);
		Diagnosis diagnosis(bundle.text());
		CHECK(diagnosis.with(DOCTOR_FOUND) == found);
		CHECK(diagnosis.unexplained().empty() == (id != ""));
		CHECK((diagnosis.exit_code() == RXAQM_EXIT_UNSUPPORTED) == (id == ""));
	}
}
