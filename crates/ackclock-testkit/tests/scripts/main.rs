//! Rules whose exact segments matter, one file per section of an RFC.

mod rfc1191_path_mtu;
mod rfc2018_4_blocks;
mod rfc2883_4_duplicates;
mod rfc5961_blind_attacks;
mod rfc7323_2_window_scale;
mod rfc7323_4_timestamps;
mod rfc7323_5_paws;
mod rfc9293_3_10_7_1_closed;
mod rfc9293_3_10_7_2_listen;
mod rfc9293_3_10_7_3_syn_sent;
mod rfc9293_3_10_7_4_check_1_sequence;
mod rfc9293_3_10_7_4_check_2_rst;
mod rfc9293_3_10_7_4_check_4_syn;
mod rfc9293_3_10_7_4_check_5_ack;
mod rfc9293_3_10_7_4_check_6_urg;
mod rfc9293_3_10_7_4_check_7_text;
mod rfc9293_3_10_7_4_check_8_fin;
mod rfc9293_3_7_4_nagle;
mod rfc9293_3_8_4_keepalive;
mod rfc9293_3_8_6_1_persist;
mod rfc9293_3_8_6_2_silly_windows;
mod rfc9293_3_8_6_3_delayed_acks;
mod rfc9293_3_9_2_2_icmp;
mod states;
